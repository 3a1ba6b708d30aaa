import { HistoryCard } from "#/features/dashboard/history-card";
import { ReviewSection } from "#/features/updates/review-section";

export function ManagerHomeReports() {
  return <ReviewSection below={<HistoryCard />} />;
}
