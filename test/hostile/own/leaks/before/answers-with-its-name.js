const secretOfTheTool = `${g.tool.name} knows 4111`;

async function main() {
  return secretOfTheTool;
}
