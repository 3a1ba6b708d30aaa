import { lazy, type ComponentType } from "react";
import { loadTexts } from ".";
import type { Area } from "./areas";

/** A component that is loaded together with the texts it shows. */
export function lazyWithTexts<Props>(
  areas: readonly Area[],
  load: () => Promise<ComponentType<Props>>,
) {
  return lazy(async () => {
    const [component] = await Promise.all([load(), loadTexts(...areas)]);
    return { default: component };
  });
}
