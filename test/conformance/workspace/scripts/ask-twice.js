async function main() {
  const text = (name) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });
  const first = await g.ask.elicit("Step 1: What is your name?", text("name"), { key: "step1" });
  const second = await g.ask.elicit("Step 2: What is your favorite color?", text("color"), { key: "step2" });
  return `${first.content?.name ?? "Somebody"} likes ${second.content?.color ?? "no color"}.`;
}
