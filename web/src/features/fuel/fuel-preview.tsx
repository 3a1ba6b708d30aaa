import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Lock } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fuelKindWord } from "#/domain/equipment-wire";
import { Card } from "#/shared/ui/card";
import { latestFuelQuery } from "./queries";
import { Consumer } from "./top-consumers";

/** Shows what the analytics would show, with the part that every plan has: the latest entries. */
export function FuelPreview() {
  const { t } = useTranslation();
  const { data } = useQuery(latestFuelQuery(useTransport()));
  const entries = (data?.records ?? []).filter((record) => !record.voiding && record.equipmentId);
  const top = topOf(entries);
  const [first] = top;
  if (!first) return null;
  return (
    <Card
      title={t("fuel.preview.title")}
      description={t("fuel.preview.text", { count: entries.length })}
    >
      <ol aria-label={t("fuel.top")} className="space-y-3.5">
        {top.map((use) => (
          <Consumer key={use.equipmentId} use={use} maxTotal={first.total}>
            <span className="flex items-center gap-1">
              <Lock aria-hidden className="size-3.5" />
              {t("fuel.preview.locked")}
            </span>
          </Consumer>
        ))}
      </ol>
      <p className="mt-4 text-sm text-muted">{t("fuel.preview.more")}</p>
    </Card>
  );
}

const shownMachines = 3;

/** The machines with the most fuel in these entries. */
function topOf(entries: readonly HistoryRecord[]) {
  const uses = new Map<string, ReturnType<typeof unused>>();
  for (const entry of entries) {
    const use = uses.get(entry.equipmentId) ?? unused(entry);
    use.total += entry.fuelAdded;
    use[fuelKindWord(entry.fuelKind)] += entry.fuelAdded;
    uses.set(entry.equipmentId, use);
  }
  return [...uses.values()]
    .filter(({ total }) => total > 0)
    .toSorted((a, b) => b.total - a.total)
    .slice(0, shownMachines);
}

const unused = ({ equipmentId, equipmentName }: HistoryRecord) => ({
  equipmentId,
  equipmentName,
  total: 0,
  gas: 0,
  diesel: 0,
});
