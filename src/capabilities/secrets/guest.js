// g.secrets: exists so that a script that asks for a secret is told how to use one without having it.
(bridge) => ({
  member: bridge.tools.freeze({
    __proto__: null,
    getSecret: () => {
      throw bridge.error(
        "SECRET_ACCESS_DENIED",
        'Scripts cannot read secrets. Put a template such as "{{API_KEY}}" into "headers" or "query" of this tool in tools.json; it is filled in outside of the sandbox when the script makes a request.',
      );
    },
  }),
});
