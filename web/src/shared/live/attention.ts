/** After this long without a touch or a key nobody is taken to look. */
const attentionMs = 30 * 60_000;

const signs = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"] as const;

/**
 * Tells when a page has been left alone and when somebody is back. What a page reads by itself counts
 * as use of the session: a screen that nobody looks at must not keep it alive.
 */
export function createAttention(onLeft: () => void, onBack: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let left = false;
  let last = 0;

  const begin = (wait: number): void => {
    timer = setTimeout(() => {
      const rest = last + attentionMs - Date.now();
      if (rest > 0) return begin(rest);
      left = true;
      onLeft();
    }, wait);
  };
  /** Answers whether the page had been left alone until now. */
  const touch = (): boolean => {
    last = Date.now();
    if (!left) return false;
    left = false;
    begin(attentionMs);
    return true;
  };
  const seen = (): void => {
    if (touch()) onBack();
  };
  return {
    isLeft: () => left,
    touch,
    start(): void {
      last = Date.now();
      left = false;
      begin(attentionMs);
      for (const sign of signs) window.addEventListener(sign, seen, { passive: true });
    },
    stop(): void {
      clearTimeout(timer);
      for (const sign of signs) window.removeEventListener(sign, seen);
    },
  };
}
