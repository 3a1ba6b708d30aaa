import {
  CloudOff,
  Gauge,
  ListChecks,
  RefreshCw,
  ScrollText,
  Wrench,
  type LucideIcon,
} from "lucide-react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";

const news: ReadonlyArray<{ icon: LucideIcon; title: TextKey; text: TextKey }> = [
  {
    icon: CloudOff,
    title: key("subscription.news.offline"),
    text: key("subscription.news.offlineText"),
  },
  {
    icon: ListChecks,
    title: key("subscription.news.review"),
    text: key("subscription.news.reviewText"),
  },
  {
    icon: RefreshCw,
    title: key("subscription.news.live"),
    text: key("subscription.news.liveText"),
  },
  {
    icon: Gauge,
    title: key("subscription.news.meter"),
    text: key("subscription.news.meterText"),
  },
  {
    icon: Wrench,
    title: key("subscription.news.tasks"),
    text: key("subscription.news.tasksText"),
  },
  {
    icon: ScrollText,
    title: key("subscription.news.log"),
    text: key("subscription.news.logText"),
  },
];

export function WhatsNew() {
  const { t } = useTranslation();
  return (
    <section aria-labelledby="whats-new">
      <h2 id="whats-new" className="text-lg font-semibold">
        {t("subscription.news.title")}
      </h2>
      <p className="mt-1 text-muted">{t("subscription.news.text")}</p>
      <ul className="mt-5 grid gap-x-10 gap-y-6 md:grid-cols-2 lg:grid-cols-3">
        {news.map(({ icon: Icon, title, text }) => (
          <li key={title} className="flex gap-3">
            <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
            <div className="min-w-0">
              <h3 className="font-semibold">{t(title)}</h3>
              <p className="mt-0.5 text-muted">{t(text)}</p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
