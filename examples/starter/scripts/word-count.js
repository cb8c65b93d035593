// What main() returns is the tool's answer. g.tool.args holds the arguments, checked against "parameters" in tools.json.
async function main() {
  const { text } = g.tool.args;
  const words = text.match(/[\p{L}\p{N}'’-]+/gu) ?? [];
  return { words: words.length, characters: [...text].length };
}
