function main() {
  return JSON.stringify(g.tool.args);
}
