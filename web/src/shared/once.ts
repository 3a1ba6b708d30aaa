/**
 * Keeps the result, so that React renders loaded code without a fallback: another `import()` of the
 * same module resolves too late for that. After a failure it loads again.
 */
export function once<Code>(load: () => Promise<Code>): () => Promise<Code> {
  let code: Promise<Code> | undefined;
  return () =>
    (code ??= load().catch((error: unknown) => {
      code = undefined;
      throw error;
    }));
}
