import { useEffect, useState } from "react";

/** Whether this time, in milliseconds, is still to come. */
export function useIsBefore(time: number): boolean {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    // A timer may run a little early.
    const timer = setTimeout(() => setNow(time), time - Date.now());
    return () => clearTimeout(timer);
  }, [time]);
  return now < time;
}
