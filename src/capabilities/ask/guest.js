// g.ask: questions to a person, through the client. The time limit stands still while they wait.
(bridge) => {
  const { freeze, RawTypeError } = bridge.tools;
  const elicit = (message, form, options) =>
    bridge.hostCall(
      "ask.elicit",
      () => {
        if (typeof message !== "string" || message === "") throw new RawTypeError("g.ask.elicit(message) takes a text.");
        const params = { __proto__: null, message };
        if (form !== undefined) params.form = form;
        const key = options?.key;
        if (key !== undefined) params.key = key;
        return params;
      },
      ({ answer, waitedMs }) => {
        bridge.extendLimit(waitedMs);
        return answer;
      },
    );
  return { member: freeze({ __proto__: null, elicit }) };
};
