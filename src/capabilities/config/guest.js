// g.config: the settings of this tool for this agent. Data only; frozen with the facts.
(bridge) => ({ member: bridge.facts.config });
