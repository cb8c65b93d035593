// Measures a text. Words are runs of letters and digits, with apostrophes and hyphens inside.
const WORDS_PER_MINUTE = 230;

async function main() {
  const { text, topWords = 5 } = g.tool.args;
  const words = text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
  const sentences = text.split(/[.!?…]+(?=\s|$)/u).filter((part) => /[\p{L}\p{N}]/u.test(part));
  const paragraphs = text.split(/\n\s*\n/u).filter((part) => part.trim() !== "");
  return {
    words: words.length,
    sentences: sentences.length,
    paragraphs: paragraphs.length,
    characters: [...text].length,
    readingMinutes: Math.round((words.length / WORDS_PER_MINUTE) * 10) / 10,
    topWords: mostFrequent(words, topWords),
  };
}

function mostFrequent(words, limit) {
  const counts = new Map();
  for (const word of words) {
    const key = word.toLowerCase();
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (a < b ? -1 : 1))
    .slice(0, limit)
    .map(([word, count]) => ({ word, count }));
}
