import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { FuelSection } from "#/features/fuel/fuel-section";
import { fuelRangeEntries } from "#/features/fuel/range-search";
import { key } from "#/i18n/key";
import { PageHeader } from "#/shared/ui/page-header";
import { prefetch } from "../-prefetch";

/** The fuel figures of the dashboard as a page of their own. */
export const Route = createFileRoute("/_manager/fuel")({
  validateSearch: v.object(fuelRangeEntries),
  staticData: { title: key("shell.titles.fuel") },
  loader: ({ context }) => prefetch(context, (pages) => pages.subscription()),
  component: FuelRoute,
});

function FuelRoute() {
  const { t } = useTranslation();
  const range = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <>
      <PageHeader title={t("shell.titles.fuel")} />
      <div className="space-y-5">
        <FuelSection
          range={range}
          onRange={(next) => void navigate({ search: next, replace: true, resetScroll: false })}
        />
      </div>
    </>
  );
}
