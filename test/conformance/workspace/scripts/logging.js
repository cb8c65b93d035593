async function main() {
  g.log.info("Tool execution started");
  await g.run.sleep(50);
  g.log.info("Tool processing data");
  await g.run.sleep(50);
  g.log.info("Tool execution completed");
  return "Three lines were logged.";
}
