import type { ComponentType } from "react";
import { lazyLoaded } from "#/shared/lazy-loaded";
import { loadTexts } from ".";
import type { Area } from "./areas";

/** Loads a component together with its texts. */
export function withTexts<Props>(
  areas: readonly Area[],
  load: () => Promise<ComponentType<Props>>,
): () => Promise<ComponentType<Props>> {
  return async () => {
    const [component] = await Promise.all([load(), loadTexts(...areas)]);
    return component;
  };
}

/** The same as a component that suspends. */
export function lazyWithTexts<Props>(
  areas: readonly Area[],
  load: () => Promise<ComponentType<Props>>,
) {
  return lazyLoaded(withTexts(areas, load));
}
