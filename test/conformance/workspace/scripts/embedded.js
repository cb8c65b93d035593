function main() {
  return g.result.resource("test://embedded-resource", "This is an embedded resource content.", "text/plain");
}
