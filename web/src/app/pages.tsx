import { RouterProvider } from "@tanstack/react-router";
import type { AppRouter } from "#/router";
import { Route as Guest } from "#/routes/_guest";
import { Route as OperatorLogin } from "#/routes/_guest/employee-login";
import { Route as Operator } from "#/routes/_operator";
import { Route as SimpleOperator } from "#/routes/_operator/simple-operator";

export { createAppRouter } from "#/router";

/** Loads the pages of a logout and of the next sign-in, which may both happen without signal. */
export async function loadHandOver(): Promise<void> {
  for (const { options } of [Guest, OperatorLogin, Operator, SimpleOperator]) {
    await options.component?.preload?.();
  }
}

export const Pages = ({ router }: { router: AppRouter }) => <RouterProvider router={router} />;
