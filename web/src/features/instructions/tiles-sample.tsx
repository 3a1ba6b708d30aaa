import { Layers } from "lucide-react";
import { useTranslation } from "react-i18next";
import { StatusIcon, type Severity } from "#/shared/ui/status-badge";
import { Sample } from "./sample-parts";

export function TilesSample() {
  const { t } = useTranslation();
  const tiles: ReadonlyArray<{ severity: Severity | null; label: string; count: number }> = [
    { severity: null, label: t("dashboard.tiles.total"), count: 14 },
    { severity: "good", label: t("dashboard.tiles.good"), count: 9 },
    { severity: "soon", label: t("dashboard.tiles.approaching"), count: 2 },
    { severity: "due", label: t("dashboard.tiles.due"), count: 1 },
    { severity: "over", label: t("dashboard.tiles.overdue"), count: 2 },
  ];
  return (
    <Sample caption={t("instructions.start.caption")}>
      <div className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line sm:grid-cols-5">
        {tiles.map((tile) => (
          <div
            key={tile.label}
            className="flex flex-col justify-between bg-raised px-4 py-3 max-sm:first:col-span-2"
          >
            <p className="flex items-center gap-2 text-sm text-muted">
              {tile.severity ? (
                <StatusIcon severity={tile.severity} />
              ) : (
                <Layers className="size-4 shrink-0" />
              )}
              {tile.label}
            </p>
            <p className="mt-0.5 font-figures text-title font-semibold">{tile.count}</p>
          </div>
        ))}
      </div>
    </Sample>
  );
}
