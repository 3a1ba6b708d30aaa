import { RouterProvider } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { createAppRouter, type RouterContext } from "#/router";

/** The router's pages, at the current address. */
export function pages(context: RouterContext): ReactNode {
  return <RouterProvider router={createAppRouter(context)} />;
}

/** The same, once the code and data of the first page are loaded. */
export async function loadedPages(context: RouterContext): Promise<ReactNode> {
  const router = createAppRouter(context);
  await router.load();
  return <RouterProvider router={router} />;
}
