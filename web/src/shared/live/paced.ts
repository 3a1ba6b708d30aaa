import type { Topic } from "#/api/gen/hourmeter/events/v1/events_pb";

/** After a call the next one waits at least this long. */
const shortest = 1_000;

/**
 * The first change is told at once; what follows is gathered until the work of the call before is
 * done and a while has passed, the longer the longer that work takes. So neither a busy crew nor a
 * slow network makes a page ask without end.
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
    const rest = Math.max(shortest, 2 * (Date.now() - began));
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
