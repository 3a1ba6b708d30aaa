import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { EquipmentFuelUse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useConsumptionText } from "#/shared/words/consumption-text";
import { numberedName } from "#/shared/words/numbered-name";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { fuelFill } from "./swatch";

/** Section 9: the list of top consumers shows 5; the others on request. */
const shownAtFirst = 5;

export function TopConsumers({ consumers }: { consumers: readonly EquipmentFuelUse[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [showAll, setShowAll] = useState(false);
  const all = consumers.filter((each) => each.total > 0);
  const top = showAll ? all : all.slice(0, shownAtFirst);
  const maxTotal = top[0]?.total ?? 1;
  const consumptionText = useConsumptionText();
  const someUnknown = top.some((each) => consumptionText(each) === null);
  return (
    <div className="min-w-0">
      <h3 className="mb-3 font-semibold" id="fuel-top">
        {t("fuel.top")}
      </h3>
      <ol aria-labelledby="fuel-top" className="space-y-3.5">
        {top.map((each) => (
          <Consumer key={each.equipmentId} use={each} maxTotal={maxTotal}>
            <Rate use={each} />
          </Consumer>
        ))}
      </ol>
      {all.length > shownAtFirst && (
        <div className="no-print mt-4">
          <Button size="small" onClick={() => setShowAll(!showAll)}>
            {showAll ? t("fuel.topFewer") : t("fuel.topAll", { total: format.number(all.length) })}
          </Button>
        </div>
      )}
      {someUnknown && <p className="mt-4 text-xs text-muted">{t("fuel.rateUnknownNote")}</p>}
    </div>
  );
}

function Rate({ use }: { use: EquipmentFuelUse }) {
  const { t } = useTranslation();
  const rate = useConsumptionText()(use);
  if (rate) return `${rate.amount} · ${rate.basis}`;
  return (
    <>
      <span aria-hidden>—</span>
      <span className="sr-only">{t("fuel.rateUnknown")}</span>
    </>
  );
}

/** A machine with its share of the top consumer's fuel; `children` is its consumption. */
export function Consumer({
  use,
  maxTotal,
  children,
}: {
  use: Pick<EquipmentFuelUse, "equipmentId" | "equipmentName" | "total" | "gas" | "diesel"> & {
    retired?: boolean;
    unitNumber?: string | undefined;
  };
  maxTotal: number;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const parts = (["gas", "diesel"] as const).filter((kind) => use[kind] > 0);
  return (
    <li>
      <div className="flex items-baseline justify-between gap-3">
        <p className="min-w-0 font-semibold">
          <Link
            to="/equipment/item/$id"
            params={{ id: use.equipmentId }}
            search={use.retired ? {} : { tab: "fuel" }}
            className="hover:underline"
          >
            {numberedName(use.equipmentName, use)}
          </Link>
          {use.retired && (
            <span className="ml-2 inline-block align-middle">
              <Badge>{t("fuel.retired")}</Badge>
            </span>
          )}
        </p>
        <p className="shrink-0 font-semibold">{labels.gallons(use.total)}</p>
      </div>
      <div aria-hidden className="mt-1 flex h-2.5 gap-px">
        {parts.map((kind) => (
          <span
            key={kind}
            className={clsx("block first:rounded-l-[3px] last:rounded-r-[3px]", fuelFill[kind])}
            style={{ width: `max(2px, ${(use[kind] / maxTotal) * 100}%)` }}
          />
        ))}
      </div>
      <p className="mt-1 flex flex-wrap justify-between gap-x-3 text-sm text-muted">
        <span>
          {parts.map((kind) => `${labels.fuelKind(kind)} ${labels.gallons(use[kind])}`).join(" · ")}
        </span>
        <span>{children}</span>
      </p>
    </li>
  );
}
