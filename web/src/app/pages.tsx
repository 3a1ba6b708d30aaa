import { RouterProvider } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { createAppRouter, type RouterContext } from "#/router";

/** The router's pages at the current address, once the code of the first one is loaded. */
export async function createPages(context: RouterContext): Promise<ReactNode> {
  const router = createAppRouter(context);
  await router.load();
  return <RouterProvider router={router} />;
}
