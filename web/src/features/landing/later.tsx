import type { ReactNode } from "react";
import { useSettled } from "./use-settled";

/** Shows its children, and with them loads their code, once the first screens stand. */
export function Later({ children }: { children: ReactNode }) {
  return useSettled() ? children : null;
}
