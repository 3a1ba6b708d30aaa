import { useState } from "react";

/** The value from before `keep`. */
export function useKept<Value>(value: Value, keep: boolean): Value {
  const [last, setLast] = useState(value);
  if (keep || last === value) return last;
  setLast(value);
  return value;
}
