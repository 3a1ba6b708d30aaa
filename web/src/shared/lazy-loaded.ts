import { lazy, type ComponentType } from "react";

/** A component of React for one that `load` loads and keeps. */
export const lazyLoaded = <Props>(load: () => Promise<ComponentType<Props>>) =>
  lazy(async () => ({ default: await load() }));
