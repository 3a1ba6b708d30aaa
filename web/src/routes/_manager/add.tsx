import { createFileRoute, redirect } from "@tanstack/react-router";
import * as v from "valibot";

export const Route = createFileRoute("/_manager/add")({
  validateSearch: v.object({ edit: v.fallback(v.optional(v.string()), undefined) }),
  beforeLoad: ({ search }) => {
    throw redirect({ to: "/add-equipment", search, replace: true });
  },
});
