import type { ComponentType } from "react";
import { lazyLoaded } from "#/shared/lazy-loaded";
import { loadTexts } from ".";
import type { Area } from "./areas";

/** Loads code, such as a component, together with its texts. */
export function withTexts<Loaded>(
  areas: readonly Area[],
  load: () => Promise<Loaded>,
): () => Promise<Loaded> {
  return async () => {
    const [loaded] = await Promise.all([load(), loadTexts(...areas)]);
    return loaded;
  };
}

/** The same as a component that suspends. */
export function lazyWithTexts<Props extends object>(
  areas: readonly Area[],
  load: () => Promise<ComponentType<Props>>,
) {
  return lazyLoaded(withTexts(areas, load));
}
