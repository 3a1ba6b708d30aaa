import { useEffect, useState } from "react";

/** The click of a tap follows shortly after pointerup. */
const clickAfter = 100;
/** A missed release must not hold the value permanently. */
const longestPress = 1_000;

/**
 * Holds the value while a pointer is down, because rows that move between press and release lose
 * the click. The first value is not held.
 */
export function useHeldWhilePressed<Value>(value: Value): Value {
  const [pressed, setPressed] = useState(false);
  const [held, setHeld] = useState(value);
  if (held !== value && (!pressed || held === undefined)) setHeld(value);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const endAfter = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => setPressed(false), ms);
    };
    const onDown = () => {
      setPressed(true);
      endAfter(longestPress);
    };
    const onUp = () => endAfter(clickAfter);
    document.addEventListener("pointerdown", onDown, true);
    document.addEventListener("pointerup", onUp, true);
    document.addEventListener("pointercancel", onUp, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("pointerdown", onDown, true);
      document.removeEventListener("pointerup", onUp, true);
      document.removeEventListener("pointercancel", onUp, true);
    };
  }, []);
  return held;
}
