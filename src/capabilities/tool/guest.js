// g.tool: the arguments of the call and what the tool is. Data only; frozen with the facts.
(bridge) => {
  const { args, tool } = bridge.facts;
  const title = bridge.tools.ownValue(tool, "title");
  const member = { __proto__: null, args, name: tool.name, description: tool.description };
  if (title !== undefined) member.title = title;
  return { member: bridge.tools.freeze(member) };
};
