import { useEffect, useState } from "react";

/** The click of a tap follows a moment after the finger has left. */
const clickAfter = 100;
/** A release that the page never hears of must not hold the value for good. */
const longestPress = 1_000;

/**
 * The value, which does not change while a pointer is down: rows that move between press and release
 * take the click away. The first value is not held back.
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
