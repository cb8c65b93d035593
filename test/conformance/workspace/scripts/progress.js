async function main() {
  for (const done of [0, 50, 100]) {
    g.run.progress(done, 100);
    await g.run.sleep(50);
  }
  return "Progress was reported three times.";
}
