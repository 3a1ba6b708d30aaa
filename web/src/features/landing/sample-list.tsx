import { useTranslation } from "react-i18next";
import { useFormat } from "#/shared/format/use-format";
import { StatusBadge, type Severity } from "#/shared/ui/status-badge";
import { UsageBar } from "#/shared/ui/usage-bar";

/** What the product looks like at work, made of its own parts, with invented machines. */
export function SampleList() {
  const { t } = useTranslation();
  const format = useFormat();
  const hours = (value: number) => format.usage(value, t("landing.sample.hours"));
  const miles = (value: number) => format.usage(value, t("landing.sample.miles"));
  const rows: ReadonlyArray<{
    name: string;
    usage: string;
    figure: string;
    percent: number;
    severity: Severity;
    status: string;
  }> = [
    {
      name: t("landing.sample.excavator"),
      usage: hours(4812.5),
      figure: t("landing.sample.overdueBy", { amount: hours(62.5) }),
      percent: 112,
      severity: "over",
      status: t("landing.sample.overdue"),
    },
    {
      name: t("landing.sample.truck"),
      usage: miles(88904),
      figure: t("landing.sample.dueAt", { amount: miles(88900) }),
      percent: 100,
      severity: "due",
      status: t("landing.sample.due"),
    },
    {
      name: t("landing.sample.loader"),
      usage: hours(1204),
      figure: t("landing.sample.until", { amount: hours(46) }),
      percent: 82,
      severity: "soon",
      status: t("landing.sample.soon"),
    },
    {
      name: t("landing.sample.compressor"),
      usage: hours(310.4),
      figure: t("landing.sample.until", { amount: hours(189.6) }),
      percent: 38,
      severity: "good",
      status: t("landing.sample.good"),
    },
  ];
  return (
    <figure className="min-w-0">
      <div className="overflow-hidden rounded-card border border-line bg-raised">
        <p className="border-b border-line bg-sunken px-4 py-2.5 text-xs font-semibold text-muted">
          {t("landing.sample.heading")}
        </p>
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <li
              key={row.name}
              className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-2.5 px-4 py-3.5"
            >
              <p className="min-w-0">
                <span className="block font-semibold">{row.name}</span>
                <span className="block text-sm text-muted">{row.usage}</span>
              </p>
              <StatusBadge severity={row.severity}>{row.status}</StatusBadge>
              <div className="col-span-2 flex flex-wrap items-center gap-x-3 gap-y-1">
                <UsageBar percent={row.percent} severity={row.severity} />
                <p className="text-sm">{row.figure}</p>
              </div>
            </li>
          ))}
        </ul>
      </div>
      <figcaption className="mt-2 text-xs text-muted">{t("landing.sample.caption")}</figcaption>
    </figure>
  );
}
