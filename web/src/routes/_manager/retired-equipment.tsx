import { createFileRoute } from "@tanstack/react-router";
import * as v from "valibot";
import { EquipmentTabs } from "#/features/equipment/views/equipment-tabs";
import { RetiredPage } from "#/features/retired/retired-page";
import { key } from "#/i18n/key";
import { searchEntries } from "#/shared/table/search-entries";
import { prefetch } from "../-prefetch";

export const Route = createFileRoute("/_manager/retired-equipment")({
  validateSearch: v.object(searchEntries),
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
