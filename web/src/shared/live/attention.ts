/** After this time without input, the page counts as unattended. */
const attentionMs = 30 * 60_000;

const signs = ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"] as const;

/**
 * Reports when a page becomes unattended and when the user is back. Background requests count as
 * use of the session, so an unattended screen must not send them.
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
  /** Returns whether the page was unattended. */
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
