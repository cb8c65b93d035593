/** The value of the promise, or "late" if it is not there in that time. */
export async function withinMs<T>(ms: number, promise: Promise<T>): Promise<T | "late"> {
  const { promise: late, resolve } = Promise.withResolvers<"late">();
  const timer = setTimeout(() => resolve("late"), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
