// Asks one question, as the tool's config says, and tells the answer.
async function main() {
  const { message = g.tool.args.message, form, key, prefix = "Answer" } = g.config;
  const answer = await g.ask.elicit(message, form, key === undefined ? {} : { key });
  if (answer.action === "accept" && typeof answer.content.name === "string" && prefix === "Hello") return `Hello, ${answer.content.name}!`;
  return `${prefix}: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;
}
