// SPDX-License-Identifier: GPL-2.0-only
// Writes foreign.hlog with the reference implementation:
//   javac -cp hdrhistogram.jar Log.java && java -cp hdrhistogram.jar:. Log foreign.hlog
// (HdrHistogram for Java 2.1.11 of Debian's libhdrhistogram-java).
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

public class Log {
	public static void main(String[] args) throws Exception {
		HistogramLogWriter log = new HistogramLogWriter(args[0]);
		long base = 1700000000123L;
		log.outputComment("[Latencies of another program, in ns]");
		log.outputLogFormatVersion();
		log.outputBaseTime(base);
		log.outputStartTime(base);
		log.setBaseTime(base);
		log.outputLegend();
		for (int i = 0; i < 3; i++) {
			Histogram h = new Histogram(1, 3600L * 1000 * 1000 * 1000, 3);
			for (int k = 0; k < 1000; k++) {
				h.recordValue(100 + k * 2);
			}
			h.recordValue(1000000L * (i + 1));
			h.setStartTimeStamp(base + i * 1000);
			h.setEndTimeStamp(base + (i + 1) * 1000);
			log.outputIntervalHistogram(h);
		}
		Histogram t = new Histogram(1000, 1L << 40, 2); // other geometry
		for (int k = 1; k <= 500; k++) {
			t.recordValue(k * 1000L);
		}
		t.setTag("tagged");
		t.setStartTimeStamp(base + 500);
		t.setEndTimeStamp(base + 2500);
		log.outputIntervalHistogram(t);
		Histogram e = new Histogram(5); // without values
		e.setTag("empty");
		e.setStartTimeStamp(base);
		e.setEndTimeStamp(base + 3000);
		log.outputIntervalHistogram(e);
		log.close();
	}
}
