import { createFileRoute } from "@tanstack/react-router";
import * as v from "valibot";
import { OperatorsPage } from "#/features/operators/operators-page";
import { key } from "#/i18n/key";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_manager/employees")({
  // The router parses a search for digits as a number.
  validateSearch: v.object({
    search: v.fallback(
      v.optional(v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.maxLength(100))),
      undefined,
    ),
    /** Opens the dialog for a new operator; used by links from other pages. */
    add: v.fallback(v.optional(v.literal(true)), undefined),
  }),
  staticData: { title: key("shell.titles.operators") },
  loader: ({ context }) => prefetch(context, (pages) => pages.people()),
  component: OperatorsRoute,
});

function OperatorsRoute() {
  const { search, add } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <OperatorsPage
      search={search}
      onSearch={(next) =>
        void navigate({ search: { search: next }, replace: true, resetScroll: false })
      }
      adding={add === true}
      onAdded={() => void navigate({ search: { search }, replace: true, resetScroll: false })}
    />
  );
}
