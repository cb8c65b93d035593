// Filters, sums and groups the rows of a CSV text (RFC 4180 quoting).
async function main() {
  const { csv, where = [], columns, sum = [], groupBy, limit = 20 } = g.tool.args;
  const separator = g.tool.args.separator ?? guessSeparator(csv);
  const [header, ...lines] = parseCsv(csv, separator);
  if (header === undefined) return g.result.fail("The CSV text is empty. It needs a header row.");
  const names = header.map((name) => name.trim());
  const asked = [...where.map((condition) => condition.column), ...(columns ?? []), ...sum, ...(groupBy === undefined ? [] : [groupBy])];
  const unknown = asked.filter((name) => !names.includes(name));
  if (unknown.length > 0) return g.result.fail(`No column ${quoted(unknown)}. The columns are ${quoted(names)}.`);

  const rows = lines.map((cells) => new Map(names.map((name, index) => [name, cells[index] ?? ""])));
  const matching = rows.filter((row) => where.every((condition) => meets(row.get(condition.column), condition)));
  const totals = { rows: rows.length, matching: matching.length, ...(sum.length > 0 && { sums: sumsOf(matching, sum) }) };
  if (groupBy !== undefined) return { ...totals, groups: groupsOf(matching, groupBy, sum).slice(0, limit) };
  const shown = matching.slice(0, limit).map((row) => Object.fromEntries((columns ?? names).map((name) => [name, row.get(name)])));
  return { ...totals, result: shown };
}

function parseCsv(text, separator) {
  const rows = [];
  let row = [];
  let cell = "";
  let isQuoted = false;
  const endRow = () => {
    row.push(cell);
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
    cell = "";
  };
  for (let index = text.charCodeAt(0) === 0xfeff ? 1 : 0; index < text.length; index++) {
    const character = text[index];
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') cell += text[index++];
      else isQuoted = false;
    } else if (character === '"' && cell === "") isQuoted = true;
    else if (character === separator) {
      row.push(cell);
      cell = "";
    } else if (character === "\n") endRow();
    else if (character !== "\r") cell += character;
  }
  endRow();
  return rows;
}

function guessSeparator(text) {
  const header = text.split("\n", 1)[0];
  const counts = [",", ";", "\t", "|"].map((separator) => [separator, header.split(separator).length]);
  return counts.sort(([, a], [, b]) => b - a)[0][0];
}

function meets(cell, { is = "=", value = "" }) {
  if (is === "empty") return cell.trim() === "";
  if (is === "not empty") return cell.trim() !== "";
  if (is === "contains") return cell.toLowerCase().includes(String(value).toLowerCase());
  const order = compare(cell, value);
  switch (is) {
    case "=":
      return order === 0;
    case "!=":
      return order !== 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    default:
      return order >= 0;
  }
}

function compare(cell, value) {
  const left = toNumber(cell);
  const right = toNumber(String(value));
  if (left !== undefined && right !== undefined) return left - right;
  return cell === String(value) ? 0 : cell < String(value) ? -1 : 1;
}

function toNumber(text) {
  const trimmed = text.trim();
  return trimmed === "" || Number.isNaN(Number(trimmed)) ? undefined : Number(trimmed);
}

function sumsOf(rows, columns) {
  return Object.fromEntries(columns.map((name) => [name, rows.reduce((total, row) => total + (toNumber(row.get(name)) ?? 0), 0)]));
}

function groupsOf(rows, column, sum) {
  const groups = new Map();
  for (const row of rows) groups.set(row.get(column), [...(groups.get(row.get(column)) ?? []), row]);
  return [...groups]
    .map(([value, members]) => ({ value, rows: members.length, ...(sum.length > 0 && { sums: sumsOf(members, sum) }) }))
    .sort((a, b) => b.rows - a.rows);
}

function quoted(names) {
  return names.map((name) => `"${name}"`).join(", ");
}
