import { RouterProvider } from "@tanstack/react-router";
import type { AppRouter } from "#/router";

export { createAppRouter } from "#/router";

export const Pages = ({ router }: { router: AppRouter }) => <RouterProvider router={router} />;
