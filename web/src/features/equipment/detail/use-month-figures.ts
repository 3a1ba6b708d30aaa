import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { subscriptionQuery } from "#/api/subscription";
import { useFormat } from "#/shared/format/use-format";
import { useCompanyDay, useCompanyZone } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { lastMonths, monthFigures, total, type MonthFigures } from "./month-figures";
import { fuelSummaryQuery, servicesQuery } from "./queries";

const shownMonths = 12;

/** Cost, and fuel if the plan has fuel analytics, of the last months. */
export function useMonthFigures(equipmentId: string) {
  const transport = useTransport();
  const zone = useCompanyZone();
  const months = lastMonths(useCompanyDay(), shownMonths);
  const from = `${months[0]}-01`;
  const subscription = useQuery(subscriptionQuery(transport));
  const hasAnalytics = subscription.data?.subscription?.entitlements?.fuelAnalytics === true;
  const services = useQuery(servicesQuery(transport, { equipmentId, from }));
  const fuel = useQuery({
    ...fuelSummaryQuery(transport, equipmentId, from),
    enabled: hasAnalytics,
  });
  const figures =
    services.data && subscription.data && (fuel.data ?? !hasAnalytics)
      ? monthFigures(months, services.data.records, fuel.data?.byMonth ?? [], zone)
      : undefined;
  return {
    figures,
    hasAnalytics,
    error: subscription.error ?? services.error ?? fuel.error,
    retrying: subscription.isFetching || services.isFetching || fuel.isFetching,
    retry: () =>
      void Promise.all([
        subscription.refetch(),
        services.refetch(),
        hasAnalytics && fuel.refetch(),
      ]),
  };
}

export interface Measure {
  id: "cents" | "gas" | "diesel";
  label: string;
  of: (row: MonthFigures) => number;
  text: (value: number) => string;
}

/** What was recorded in these months: cost, gas and diesel. */
export function useMeasures(figures: readonly MonthFigures[]): Measure[] {
  const { t } = useTranslation();
  const format = useFormat();
  const labels = useEquipmentLabels();
  const measures: Measure[] = [
    {
      id: "cents",
      label: t("equipment-detail.months.cost"),
      of: (row) => row.cents,
      text: format.cost,
    },
    { id: "gas", label: labels.fuelKind("gas"), of: (row) => row.gas, text: labels.gallons },
    {
      id: "diesel",
      label: labels.fuelKind("diesel"),
      of: (row) => row.diesel,
      text: labels.gallons,
    },
  ];
  return measures.filter(({ of }) => total(figures, of) > 0);
}
