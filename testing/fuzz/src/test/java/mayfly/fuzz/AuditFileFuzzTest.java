package mayfly.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import mayfly.audit.Audit;
import mayfly.audit.AuditFile;
import mayfly.audit.AuditFile.NotAnAudit;

/** Any file is read as an audit or refused; an audit that was read is equal after it is written and read again. */
class AuditFileFuzzTest {
    @FuzzTest
    void audit(byte[] file) throws IOException {
        Audit audit;
        try {
            audit = AuditFile.read(new ByteArrayInputStream(file));
        } catch (NotAnAudit e) {
            assertThat(e.getMessage()).isNotEmpty();
            return;
        }
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        AuditFile.write(audit, written);
        try {
            assertThat(AuditFile.read(new ByteArrayInputStream(written.toByteArray())))
                    .isEqualTo(audit);
        } catch (NotAnAudit e) {
            throw new AssertionError("an audit that was read and written cannot be read again", e);
        }
    }
}
