// g.agent: who calls. Data only.
(bridge) => {
  const { id, instanceId } = bridge.facts.agent;
  return { member: bridge.tools.freeze({ __proto__: null, id, instanceId }) };
};
