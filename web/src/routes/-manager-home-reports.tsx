import { HistoryCard } from "#/features/dashboard/history-card";
import { ReviewSection } from "#/features/updates/review-section";

/** What operators sent and what happened to the equipment. */
export function ManagerHomeReports() {
  return <ReviewSection below={<HistoryCard />} />;
}
