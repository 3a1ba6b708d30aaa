import { createFileRoute } from "@tanstack/react-router";
import * as v from "valibot";
import { EquipmentTabs } from "#/features/equipment/views/equipment-tabs";
import { RetiredPage } from "#/features/retired/retired-page";
import { key } from "#/i18n/key";
import { sortEntry } from "#/shared/table/use-address-sort";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_manager/retired-equipment")({
  // The router parses a search for digits as a number.
  validateSearch: v.object({
    search: v.fallback(
      v.optional(v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.maxLength(100))),
      undefined,
    ),
    order: sortEntry,
  }),
  staticData: { title: key("shell.titles.retired") },
  loader: ({ context }) => prefetch(context, (pages) => pages.retired()),
  component: RetiredRoute,
});

function RetiredRoute() {
  const { search } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <RetiredPage
      search={search}
      tabs={<EquipmentTabs />}
      onSearch={(next) =>
        void navigate({
          search: (last) => ({ ...last, search: next }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}
