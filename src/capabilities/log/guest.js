// g.log and console: lines of the call's log. Values are written like JSON; getters are not run.
(() => {
  /** Most rows of a table that are shown. */
  const TABLE_ROWS = 100;

  function openLog(bridge) {
    const { freeze } = bridge.tools;
    /** `indent`: of the groups that are open. */
    const lines = { __proto__: null, indent: "" };
    const writer =
      (level) =>
      (...values) =>
        bridge.log(level, values, lines.indent);
    const debug = writer("debug");
    const info = writer("info");
    const warn = writer("warn");
    const error = writer("error");
    // What few scripts use is not made before it is asked for.
    let rare;
    const rarely =
      (name) =>
      (...values) => {
        rare ??= openRare(bridge, lines);
        rare[name](values);
      };
    return {
      member: freeze({ __proto__: null, debug, info, warn, error }),
      globals: {
        __proto__: null,
        console: freeze({
          __proto__: null,
          debug,
          info,
          log: info,
          warn,
          error,
          dir: (value) => info(value),
          assert: rarely("assert"),
          count: rarely("count"),
          countReset: rarely("countReset"),
          group: rarely("group"),
          groupCollapsed: rarely("group"),
          groupEnd: rarely("groupEnd"),
          table: rarely("table"),
          time: rarely("time"),
          timeLog: rarely("timeLog"),
          timeEnd: rarely("timeEnd"),
          trace: rarely("trace"),
        }),
      },
    };
  }

  function openRare(bridge, lines) {
    const { define } = bridge.tools;
    const counts = { __proto__: null };
    const starts = { __proto__: null };
    const write = (level, values) => bridge.log(level, values, lines.indent);
    const labelOf = (values) => (values[0] === undefined ? "default" : `${values[0]}`);
    const timed = (label, values) => {
      if (starts[label] === undefined) return write("warn", ["%s", `No timer "${label}" was started with console.time.`]);
      // Of the call's own time, which stands still while a person is asked.
      return write("info", withFirst(define, values, `${label}: ${starts[label] - bridge.remainingMs()}ms`, 1));
    };
    return {
      __proto__: null,
      assert: (values) => {
        if (values[0]) return;
        write("warn", withFirst(define, values, values.length < 2 ? "Assertion failed" : "Assertion failed:", 1));
      },
      count: (values) => {
        const label = labelOf(values);
        counts[label] = (counts[label] ?? 0) + 1;
        write("info", ["%s", `${label}: ${counts[label]}`]);
      },
      countReset: (values) => {
        delete counts[labelOf(values)];
      },
      group: (values) => {
        if (values.length > 0) write("info", values);
        if (lines.indent.length < 40) lines.indent += "  ";
      },
      groupEnd: () => {
        lines.indent = bridge.tools.stringSlice(lines.indent, 2);
      },
      table: ({ 0: data, 1: columns }) => writeTable(bridge, write, data, columns),
      time: (values) => {
        starts[labelOf(values)] ??= bridge.remainingMs();
      },
      timeLog: (values) => timed(labelOf(values), values),
      timeEnd: (values) => {
        timed(labelOf(values), values);
        delete starts[labelOf(values)];
      },
      trace: (values) => bridge.log("debug", values.length === 0 ? ["Trace"] : withFirst(define, values, "Trace:", 0), lines.indent, true),
    };
  }

  /** The values from an index on with this text, which is no format, before them. */
  function withFirst(define, values, text, from) {
    const changed = ["%s", text];
    for (let index = from; index < values.length; index++) define(changed, changed.length, values[index], true);
    return changed;
  }

  /** One line for the columns and one for each row; what has no rows is shown as it is. */
  function writeTable(bridge, write, data, columns) {
    const { define, isArray, objectKeys, ownValue } = bridge.tools;
    const isTable = typeof data === "object" && data !== null;
    const rows = isTable ? objectKeys(data) : [];
    if (rows.length === 0) return write("info", [data]);
    const names = { __proto__: null };
    for (let index = 0; index < rows.length && index < TABLE_ROWS; index++) {
      const row = ownValue(data, rows[index]);
      const cells = typeof row === "object" && row !== null ? objectKeys(row) : [];
      for (let at = 0; at < cells.length && at < TABLE_ROWS; at++) names[cells[at]] = true;
    }
    const shown = isArray(columns) ? columns : objectKeys(names);
    const hasNames = shown.length > 0;
    const writeRow = (first, cellOf) => {
      const line = ["%s", first];
      for (let at = 0; at < shown.length; at++) {
        define(line, line.length, "|", true);
        define(line, line.length, cellOf(`${shown[at]}`), true);
      }
      return line;
    };
    if (hasNames)
      write(
        "info",
        writeRow("(index)", (name) => name),
      );
    for (let index = 0; index < rows.length && index < TABLE_ROWS; index++) {
      const row = ownValue(data, rows[index]);
      const isRecord = typeof row === "object" && row !== null;
      const line = writeRow(rows[index], (name) => (isRecord ? (ownValue(row, name) ?? "") : ""));
      if (!isRecord) {
        define(line, line.length, "|", true);
        define(line, line.length, row, true);
      }
      write("info", line);
    }
    if (rows.length > TABLE_ROWS) write("info", [`… ${rows.length - TABLE_ROWS} more`]);
  }

  return openLog;
})();
