import { Link, type LinkProps } from "@tanstack/react-router";
import { ArrowRight, ArrowUp, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { contentsId } from "./contents";

export function GuideSection({
  id,
  icon: Icon,
  title,
  children,
}: {
  id: string;
  icon: LucideIcon;
  title: string;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <section
      id={id}
      aria-labelledby={`${id}-title`}
      className="break-inside-avoid border-t border-line py-8 first:border-t-0 first:pt-0 print:py-4"
    >
      <h2 id={`${id}-title`} className="flex items-center gap-3 text-lg font-semibold">
        <span className="grid size-9 shrink-0 place-items-center rounded-card bg-accent-soft text-accent">
          <Icon aria-hidden className="size-5" />
        </span>
        {title}
      </h2>
      <div className="mt-3 max-w-[44rem] space-y-3">{children}</div>
      <Link
        to="/instructions"
        hash={contentsId}
        className="no-print mt-4 inline-flex min-h-11 items-center gap-1.5 text-sm text-muted lg:hidden"
      >
        <ArrowUp aria-hidden className="size-4" />
        {t("instructions.toContents")}
      </Link>
    </section>
  );
}

export function Steps({ items }: { items: readonly ReactNode[] }) {
  return (
    <ol className="space-y-3">
      {items.map((item, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- the steps of a guide never change places
        <li key={index} className="flex gap-3">
          <span
            aria-hidden
            className="grid size-6 shrink-0 place-items-center rounded-full border border-control-line text-xs font-semibold"
          >
            {index + 1}
          </span>
          <div className="min-w-0">{item}</div>
        </li>
      ))}
    </ol>
  );
}

export function Terms({ items }: { items: ReadonlyArray<{ term: ReactNode; text: string }> }) {
  return (
    <dl className="divide-y divide-line overflow-hidden rounded-card border border-line bg-raised">
      {items.map(({ term, text }) => (
        <div
          key={text}
          className="grid break-inside-avoid gap-x-6 gap-y-1 px-4 py-3 md:grid-cols-[13rem_minmax(0,1fr)] md:items-center"
        >
          <dt className="font-semibold">{term}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

export function SubTitle({ children }: { children: ReactNode }) {
  return <h3 className="pt-2 font-semibold break-after-avoid">{children}</h3>;
}

export function GoTo({ to, children }: { to: NonNullable<LinkProps["to"]>; children: ReactNode }) {
  return (
    <p>
      <Link
        to={to}
        className="inline-flex min-h-6 items-center gap-1.5 font-semibold text-accent underline decoration-1 underline-offset-3 hover:text-accent-hover"
      >
        {children}
        <ArrowRight aria-hidden className="size-4" />
      </Link>
    </p>
  );
}
