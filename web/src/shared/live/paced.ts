import type { Topic } from "#/api/gen/hourmeter/events/v1/events_pb";

/** The shortest pause after a call. */
const minIntervalMs = 1_000;

/**
 * Reports the first change immediately. Later ones are collected until the previous call is done
 * and a pause has passed, in proportion to its duration, so that neither a busy crew nor a slow
 * network causes a stream of requests.
 */
export function paced(call: (changed: ReadonlySet<Topic>) => unknown) {
  let gathered = new Set<Topic>();
  let busy = false;
  let stopped = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function go(): Promise<void> {
    if (busy || stopped || gathered.size === 0) return;
    busy = true;
    const changed = gathered;
    gathered = new Set();
    const began = Date.now();
    try {
      await call(changed);
    } catch (error) {
      console.warn("A change could not be shown", error);
    }
    const rest = Math.max(minIntervalMs, 2 * (Date.now() - began));
    timer = setTimeout(() => {
      busy = false;
      void go();
    }, rest);
  }

  return Object.assign(
    (changed: readonly Topic[]) => {
      for (const topic of changed) gathered.add(topic);
      void go();
    },
    {
      stop: () => {
        stopped = true;
        clearTimeout(timer);
      },
    },
  );
}
